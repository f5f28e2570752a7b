import { join } from 'node:path'
import { PART_NAMES, type PartName, type SandboxOptions } from './sandbox.ts'

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/

/**
 * Reads the sandbox's options from the environment; an empty variable counts as not given.
 * @throws Error naming every fault, one a line
 */
export function readEnvironment(env: Record<string, string | undefined>): SandboxOptions {
  const faults: string[] = []
  const host = env.HOST || '127.0.0.1'
  if (!LOOPBACK.test(host))
    faults.push('HOST must be a loopback address: the sandbox shows every mail to whoever asks')
  const port = readPort(env, 'SANDBOX_PORT', 3001, faults)
  const smtpPort = readPort(env, 'SANDBOX_SMTP_PORT', 3025, faults)
  const parts = readParts(env.SANDBOX_PARTS, faults)
  if (faults.length > 0) throw new Error(faults.join('\n'))
  return {
    host,
    port,
    smtpPort,
    parts,
    clockFile: env.CLOCK_FILE || null,
    dataDir: join(env.DATA_DIR || './data', 'sandbox'),
  }
}

function readPort(
  env: Record<string, string | undefined>,
  name: string,
  standard: number,
  faults: string[],
): number {
  const text = env[name] || String(standard)
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
  if (!(port <= 65_535)) faults.push(`${name} must be a port from 0 to 65535`)
  return port
}

function readParts(text: string | undefined, faults: string[]): PartName[] {
  if (!text) return PART_NAMES
  const given = text.split(',').map((name) => name.trim())
  for (const name of given) {
    if (!PART_NAMES.some((known) => known === name))
      faults.push(`SANDBOX_PARTS knows ${PART_NAMES.join(', ')}, not "${name}"`)
  }
  return PART_NAMES.filter((name) => given.includes(name))
}
