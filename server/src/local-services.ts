/**
 * What stands in for a service that is not configured: the only way into `dev/`. Each function loads what it starts when it
 * is called, so that a process with `DATABASE_URL` and nothing of the sandbox never loads any of it.
 */
import type { EmbeddedPostgres } from './dev/embedded-postgres.ts'
import type { SandboxProcess } from './dev/sandbox-process.ts'
import type { Env } from './platform/env.ts'
import type { Log } from './platform/log.ts'

/**
 * Takes the data directory for the embedded PostgreSQL.
 * @returns how to start it
 * @throws when another Tradepost has the directory, naming which
 */
export async function claimEmbeddedPostgres(env: Env, log: Log): Promise<() => Promise<EmbeddedPostgres>> {
  const { ownDataDir } = await import('./dev/data-dir-owner.ts')
  const { startOwnedPostgres } = await import('./dev/embedded-postgres.ts')
  const owner = await ownDataDir(env.DATA_DIR)
  const { PORT, SANDBOX_PORT, SANDBOX_SMTP_PORT } = env
  return () => startOwnedPostgres(owner, log, [PORT, SANDBOX_PORT, SANDBOX_SMTP_PORT])
}

/** @param parts of the outside world that nothing is configured for @throws when it does not start */
export async function startSandbox(env: Env, parts: string[], log: Log): Promise<SandboxProcess> {
  const { startSandboxProcess } = await import('./dev/sandbox-process.ts')
  return startSandboxProcess(env, parts, log)
}

/** The address of the running product's database, for commands beside it; null when the embedded one does not run. */
export async function findDatabase(env: Env): Promise<string | null> {
  const given = env.DATABASE_DIRECT_URL ?? env.DATABASE_URL
  if (given) return given
  const { findRunningPostgres } = await import('./dev/embedded-postgres.ts')
  return findRunningPostgres(env.DATA_DIR)
}
