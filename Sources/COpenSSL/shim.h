// SHA256_* is deprecated in OpenSSL 3, yet only its plain struct lets a keyed HMAC state be copied
// for each payload without an allocation. Nothing else deprecated is used.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
