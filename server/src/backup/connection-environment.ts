/** The query parameters that a connection's address may have, and the variable that means the same to libpq. */
const PARAMETERS: Readonly<Record<string, string>> = {
  host: 'PGHOST',
  port: 'PGPORT',
  user: 'PGUSER',
  password: 'PGPASSWORD',
  dbname: 'PGDATABASE',
  sslmode: 'PGSSLMODE',
  sslcert: 'PGSSLCERT',
  sslkey: 'PGSSLKEY',
  sslrootcert: 'PGSSLROOTCERT',
  channel_binding: 'PGCHANNELBINDING',
  connect_timeout: 'PGCONNECT_TIMEOUT',
  application_name: 'PGAPPNAME',
  options: 'PGOPTIONS',
}

/**
 * A database's address as variables of libpq (PostgreSQL's documentation, Environment Variables), for programs that are to get no
 * password as an argument.
 * @param databaseUrl postgres://…
 * @throws naming a parameter that has no variable, never its value
 */
export function connectionEnvironment(databaseUrl: string): Record<string, string> {
  const url = new URL(databaseUrl)
  const given = {
    host: decodeURIComponent(url.hostname.replace(/^\[|\]$/g, '')),
    port: url.port,
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    dbname: databaseName(databaseUrl),
    ...Object.fromEntries(url.searchParams),
  }
  const environment: Record<string, string> = {}
  for (const [name, value] of Object.entries(given)) {
    const variable = PARAMETERS[name]
    if (!variable)
      throw new Error(`PostgreSQL's programs cannot be given the parameter ${name} of DATABASE_URL.`)
    if (value !== '') environment[variable] = value
  }
  return environment
}

/** @returns the name of the database at an address; empty where it names none, which means that of the user */
export function databaseName(databaseUrl: string): string {
  return decodeURIComponent(new URL(databaseUrl).pathname.slice(1))
}
