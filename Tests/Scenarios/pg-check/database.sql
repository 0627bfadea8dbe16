CREATE TABLE users (id bigint PRIMARY KEY, email text NOT NULL, api_token text, two_factor_secret text);
