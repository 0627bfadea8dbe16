<?php

// Opens payloads with real Laravel. Reads JSON lines
//
//   {"key": "base64:…", "previous_keys": ["base64:…"], "cipher": "AES-256-CBC", "payload": "eyJpdiI6…"}
//
// (`payload_b64` instead of `payload` for bytes that aren't UTF-8; `previous_keys` may be left out) and answers each
// with {"ok": true, "plaintext_b64": "…", "key": 0} or {"ok": false, "error": "The MAC is invalid.", "class": "…"},
// in their order. `key` is the key that opened it: 0 the current one, n the n-th previous one. The plaintext is what
// decryptString() gives: never unserialized.

declare(strict_types=1);

require __DIR__ . '/laravel.php';

answerLines(function (array $request): array {
    $payload = isset($request['payload_b64']) ? base64_decode($request['payload_b64']) : $request['payload'];
    $keys = [$request['key'], ...($request['previous_keys'] ?? [])];
    foreach ($keys as $index => $key) {
        try {
            $plaintext = encrypter($key, $request['cipher'])->decryptString($payload);

            return ['plaintext_b64' => base64_encode($plaintext), 'key' => $index];
        } catch (Illuminate\Contracts\Encryption\DecryptException $error) {
            $first ??= $error;
        }
    }
    throw $first;
});
