#!/bin/sh
# Makes Tertulia's role, database and extension when the volume is new. The role is no superuser: row-level
# security, the second wall between workspaces, does not hold for one.
set -eu

psql --set ON_ERROR_STOP=1 --set password="$DATABASE_PASSWORD" --username "$POSTGRES_USER" --dbname postgres <<'SQL'
CREATE ROLE tertulia LOGIN NOSUPERUSER NOBYPASSRLS PASSWORD :'password';
CREATE DATABASE tertulia OWNER tertulia TEMPLATE template0 ENCODING 'UTF8'
    LOCALE_PROVIDER builtin BUILTIN_LOCALE 'C.UTF-8' LOCALE 'C.UTF-8';
\connect tertulia
CREATE EXTENSION vector;
SQL
