-- The rows of users.csv as a table of its own schema. From the repository's folder:
--
--   psql "$DATABASE_URL" -f samples/users.sql
--
-- Undo with: DROP SCHEMA rekey_sample CASCADE
\set ON_ERROR_STOP on
BEGIN;
CREATE SCHEMA rekey_sample;
CREATE TABLE rekey_sample.users (
  id bigint PRIMARY KEY,
  email text NOT NULL,
  api_token text,
  two_factor_secret text
);
\copy rekey_sample.users FROM 'samples/users.csv' WITH (FORMAT csv, HEADER)
COMMIT;
