<?php

// Writes old.env, new.env and users.csv beside itself, with Laravel's own encrypter (Debian's
// php-illuminate-encryption). The keys protect nothing: they are hashes of the words below, so that every run writes
// the same files.
//
//   php samples/generate.php

declare(strict_types=1);

namespace Illuminate\Encryption {
    /** Found before PHP's own by Laravel's encrypter: the next bytes of a fixed sequence. */
    function random_bytes(int $length): string
    {
        static $count = 0;

        return substr(hash('sha512', 'rekey sample iv ' . $count++, true), 0, $length);
    }
}

namespace {
    require 'Illuminate/Encryption/autoload.php';

    use Illuminate\Encryption\Encrypter;

    $keyOf = fn (string $name): string => hash('sha256', "rekey sample key: $name", true);
    $written = fn (string $name): string => 'base64:' . base64_encode($keyOf($name));

    file_put_contents(__DIR__ . '/old.env', "# Throw-away keys, made by generate.php.\n"
        . "APP_NAME=Sample\nAPP_KEY={$written('2021')}\nAPP_PREVIOUS_KEYS={$written('2016')}\n");
    file_put_contents(__DIR__ . '/new.env', "# Throw-away keys, made by generate.php.\n"
        . "APP_NAME=Sample\nAPP_KEY={$written('2026')}\nAPP_PREVIOUS_KEYS={$written('2021')},{$written('2016')}\n");

    $encrypters = [];
    foreach (['2026', '2021', '2016', 'staging'] as $name) {
        $encrypters[$name] = new Encrypter($keyOf($name), 'AES-256-CBC');
    }

    $people = [
        'ada', 'bela', 'chidi', 'dana', 'emil', 'fatima', 'goran', 'hanna', 'ines', 'jonas', 'kofi', 'lena',
        'mina', 'nils', 'oana', 'pavel', 'quinn', 'rosa', 'sven', 'thandi', 'uma', 'viktor', 'wanda', 'yusuf',
    ];
    /** An API token, sealed as Crypt::encryptString() does. */
    $token = fn (string $person, string $key = '2021'): string =>
        $encrypters[$key]->encryptString(substr(hash('sha256', "token $person"), 0, 40));
    /** A two-factor secret, sealed as Fortify does with encrypt(), which serializes it. */
    $secret = fn (string $person, string $key = '2021'): string => $encrypters[$key]->encrypt(
        strtr(substr(strtoupper(hash('sha256', "secret $person")), 0, 16), '0189', 'WXYZ')
    );
    /** The payload with its value changed after it was sealed: the MAC no longer holds. */
    $tampered = function (string $payload): string {
        $envelope = json_decode(base64_decode($payload), true);
        $envelope['value'][0] = $envelope['value'][0] === 'A' ? 'B' : 'A';

        return base64_encode(json_encode($envelope, JSON_UNESCAPED_SLASHES));
    };

    $csv = "id,email,api_token,two_factor_secret\n";
    foreach ($people as $index => $person) {
        $id = $index + 1;
        $email = "$person@example.com";
        // Only every second user has switched two-factor login on: an empty field is NULL, "" the empty string.
        $cells = [$token($person), $id % 2 ? $secret($person) : ''];
        $cells = match ($person) {
            'dana' => [$cells[0], '""'],
            'emil' => [$token($person, '2016'), $secret($person, '2016')],
            'fatima' => [$token($person, '2026'), $secret($person, '2026')],
            'goran' => [$tampered($cells[0]), $cells[1]],
            'ines' => ['"' . $cells[0] . '"', $cells[1]],
            'kofi' => [substr($cells[0], 0, 191), $cells[1]],
            'lena' => [$token($person, 'staging'), ''],
            'oana' => ['not-yet-encrypted-token', $cells[1]],
            'quinn' => [$cells[0], $tampered($cells[1])],
            'rosa' => ['', ''],
            'thandi' => [$token($person, '2016'), ''],
            'viktor' => [$token($person, '2026'), $secret($person)],
            default => $cells,
        };
        if ($person === 'thandi') {
            $email = "\"\"\"Mbeki, Thandi\"\" <$email>\"";
        }
        $csv .= "$id,$email,$cells[0],$cells[1]\n";
    }
    file_put_contents(__DIR__ . '/users.csv', $csv);
}
