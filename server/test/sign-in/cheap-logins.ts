import { readFileSync, writeFileSync } from 'node:fs'
import { DatabaseClient } from '../../src/platform/database/database-client.ts'

/**
 * Has a PostgreSQL of this machine ask for the password itself instead of a proof that both sides compute. The tests of
 * the server log in thousands of times, and the proof is two fifths of what each costs. Journeys keep it.
 */
export async function askForPlainPassword(serverUrl: string): Promise<void> {
  const client = new DatabaseClient({ connectionString: serverUrl })
  await client.connect()
  try {
    // Each login computes the stored form of the password once more; one iteration makes that cheap.
    await client.query('set scram_iterations = 1')
    const { username, password } = new URL(serverUrl)
    const words = [client.escapeIdentifier(username), client.escapeLiteral(decodeURIComponent(password))]
    await client.query(`alter role ${words[0]} password ${words[1]}`)
    const { rows } = await client.query<{ hba_file: string }>('show hba_file')
    const file = rows[0]?.hba_file ?? ''
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll('scram-sha-256', 'password'))
    await client.query('select pg_reload_conf()')
  } finally {
    await client.end()
  }
}
