<?php

// What open.php and seal.php share: Laravel's real encrypter (Debian's php-illuminate-encryption), with its keys read
// as Laravel's service provider reads them, and warnings turned into exceptions as an application does.

declare(strict_types=1);

require_once 'Illuminate/Encryption/autoload.php';

use Illuminate\Encryption\Encrypter;

set_error_handler(function (int $level, string $message, string $file, int $line): bool {
    if ($level & (E_DEPRECATED | E_USER_DEPRECATED)) {
        return true;
    }
    throw new ErrorException($message, 0, $level, $file, $line);
});

/** The encrypter of a key as it stands in .env; one for each key and cipher is kept. */
function encrypter(string $key, string $cipher): Encrypter
{
    static $encrypters = [];

    return $encrypters["$cipher\n$key"] ??= new Encrypter(
        str_starts_with($key, 'base64:') ? base64_decode(substr($key, 7)) : $key,
        $cipher
    );
}

/** Answers each JSON line of standard input with a JSON line: what `$answer` returns, or ok: false and the error. */
function answerLines(callable $answer): void
{
    while (($line = fgets(STDIN)) !== false) {
        try {
            $result = ['ok' => true] + $answer(json_decode($line, true, 512, JSON_THROW_ON_ERROR));
        } catch (Throwable $error) {
            $result = ['ok' => false, 'error' => $error->getMessage(), 'class' => get_class($error)];
        }
        fwrite(STDOUT, json_encode($result, JSON_UNESCAPED_SLASHES | JSON_INVALID_UTF8_SUBSTITUTE) . "\n");
    }
}
