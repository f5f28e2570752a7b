/* PostgreSQL 15.20 declares a function by the name that Citus 13.2 gives one of its own files. */
#include "postgres.h"
#include "commands/dbcommands.h"
#define have_createdb_privilege citus_have_createdb_privilege
