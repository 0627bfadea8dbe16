<?php

// Seals plaintexts with real Laravel. Reads JSON lines
//
//   {"key": "base64:…", "cipher": "AES-256-CBC", "plaintext_b64": "…", "serialize": false}
//
// and answers each with {"ok": true, "payload": "eyJpdiI6…"} or {"ok": false, "error": "…", "class": "…"}, in their
// order. With `serialize` the payload is what Crypt::encrypt() makes, else what Crypt::encryptString() makes.

declare(strict_types=1);

require __DIR__ . '/laravel.php';

answerLines(fn (array $request): array => [
    'payload' => encrypter($request['key'], $request['cipher'])
        ->encrypt(base64_decode($request['plaintext_b64']), $request['serialize'] ?? false),
]);
