/**
 * Starts the stand-ins for services that are not configured: the only way into `dev/`. Each function loads what it starts when it
 * is called, so that a process with `DATABASE_URL` and nothing of the sandbox never loads any of it.
 */
import type { EmbeddedPostgres } from './dev/embedded-postgres.ts'
import type { Life } from './life.ts'
import type { Env } from './platform/env.ts'
import type { Log } from './platform/log.ts'
import type { SandboxAddress } from './platform/make-settings.ts'

/**
 * Takes the data directory for the embedded PostgreSQL.
 * @returns how to start it: `onSpawn` is called once another process works at that
 * @throws when another Tradepost has the directory, naming which
 */
export async function claimEmbeddedPostgres(
  env: Env,
  log: Log,
): Promise<(onSpawn: () => void) => Promise<EmbeddedPostgres>> {
  const { ownDataDir } = await import('./dev/data-dir-owner.ts')
  const { startOwnedPostgres } = await import('./dev/embedded-postgres.ts')
  const owner = await ownDataDir(env.DATA_DIR)
  const { PORT, SANDBOX_PORT, SANDBOX_SMTP_PORT } = env
  const reserved = [PORT, SANDBOX_PORT, SANDBOX_SMTP_PORT]
  return (onSpawn) => startOwnedPostgres(owner, log, { reserved, onSpawn })
}

/**
 * @param parts of the outside world that nothing is configured for
 * @param start.life.closers gets what stops it
 * @param start.life.fail is called at its end from then on, also while the start still waits for something else
 * @param start.onSpawn is called once its process is there
 * @returns where it answers
 * @throws when it does not start
 */
export async function startSandbox(
  env: Env,
  parts: string[],
  { life, log, onSpawn }: { life: Life; log: Log; onSpawn: () => void },
): Promise<SandboxAddress> {
  const { startSandboxProcess } = await import('./dev/sandbox-process.ts')
  const starting = startSandboxProcess(env, parts, log)
  onSpawn()
  const sandbox = await starting
  life.closers.push({ what: 'the sandbox', close: () => sandbox.stop() })
  sandbox.lost.then(life.fail)
  return sandbox.address
}

/** The address of the running product's database, for commands beside it; null when the embedded one does not run. */
export async function findDatabase(env: Env): Promise<string | null> {
  const given = env.DATABASE_DIRECT_URL ?? env.DATABASE_URL
  if (given) return given
  const { findRunningPostgres } = await import('./dev/embedded-postgres.ts')
  return findRunningPostgres(env.DATA_DIR)
}
