import pg from 'pg'

/**
 * How the product reads dates and writes texts, whatever the server, the database or the role is set to. Poolers take these at the
 * start of a connection (pgbouncer.org/config.html, ignore_startup_parameters); the library asks for UTF-8 itself.
 */
const WANTED = { DateStyle: 'ISO, MDY', TimeZone: 'UTC', standard_conforming_strings: 'on' }

type Startup = { getStartupConf(): object }

/** Every connection of the product to PostgreSQL is one of these. */
export class DatabaseClient extends pg.Client {
  /** Returns the fields that node-postgres sends in its StartupMessage (client.js). */
  getStartupConf(): object {
    return { ...(pg.Client.prototype as unknown as Startup).getStartupConf.call(this), ...WANTED }
  }
}

/** A pool of such connections. */
export function makeDatabasePool(config: pg.PoolConfig): pg.Pool {
  return new pg.Pool({ ...config, Client: DatabaseClient })
}
