import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { downloadPackages, NotHere } from './debian-packages.ts'
import { endGroup, type RealServer, startServer } from './real-server.ts'

const run = promisify(execFile)
/** Servers want a shell and a tool for certificates beside what they depend on. */
const BESIDE = ['dash', 'openssl']
/** The user that owns mailboxes. */
export const MAIL_OWNER = 7000

/** A folder with Debian packages unpacked into it, and people of its own: nothing is installed on this machine. */
export type DebianRoot = AsyncDisposable & {
  readonly folder: string
  /** PEM of the authority that signed `/etc/tls/server.pem`, a certificate for 127.0.0.1. */
  readonly authority: string
  /** @param owner number of one of its people; root unless given */
  write(path: string, text: string, how?: { owner?: number; group?: number; mode?: string }): Promise<void>
  makeFolder(path: string, how?: { owner?: number; group?: number; mode?: string }): Promise<void>
  /** Runs a server in it, in front, until it is stopped. Resolves when the port is open. @throws with its output when it ends before */
  start(command: string[], port: number): Promise<RealServer>
}

/**
 * @param name of the folder in the cache: conflicting servers need one each
 * @param people names of the users that the server wants, beside root and nobody, numbered from 7001
 * @throws NotHere when the packages cannot be had, or cannot be run
 */
export async function makeDebianRoot(
  name: string,
  packages: string[],
  people: string[],
): Promise<DebianRoot> {
  const archives = await downloadPackages(name, [...packages, ...BESIDE])
  const folder = mkdtempSync(join(tmpdir(), 'tradepost-debian-'))
  for (const archive of archives) await run('dpkg-deb', ['-x', archive, folder])
  const inside = (...command: string[]) => run('chroot', [folder, ...command], { maxBuffer: 1e7 })
  const servers = new Set<number>()
  const root: DebianRoot = {
    folder,
    authority: '',
    async write(path, text, how = {}) {
      mkdirSync(join(folder, dirname(path)), { recursive: true })
      writeFileSync(join(folder, path), text)
      await own(join(folder, path), how)
    },
    async makeFolder(path, how = {}) {
      mkdirSync(join(folder, path), { recursive: true })
      await own(join(folder, path), how)
    },
    start: (command, port) => startServer(folder, command, { port, servers }),
    async [Symbol.asyncDispose]() {
      for (const pid of servers) endGroup(pid, 'SIGKILL')
      await pause(200)
      rmSync(folder, { recursive: true, force: true })
    },
  }
  try {
    await settle(root, people)
    return { ...root, authority: await makeCertificates(root, inside) }
  } catch (error) {
    await root[Symbol.asyncDispose]()
    throw new NotHere(`programs cannot be run in a folder of their own: ${error}`)
  }
}

async function own(
  path: string,
  { group, mode, owner = 0 }: { owner?: number; group?: number; mode?: string },
): Promise<void> {
  await run('chown', [`${owner}:${group ?? owner}`, path])
  if (mode !== undefined) await run('chmod', [mode, path])
}

/** The files that every program expects to find. */
async function settle(root: DebianRoot, people: string[]): Promise<void> {
  const numbered = people.map((name, index) => [name, MAIL_OWNER + 1 + index] as const)
  const everybody = [['root', 0], ['nobody', 65_534], ['vmail', MAIL_OWNER], ...numbered] as const
  await root.write(
    '/etc/passwd',
    everybody.map(([name, id]) => `${name}:x:${id}:${id}::/mail:/bin/sh\n`).join(''),
  )
  await root.write('/etc/group', everybody.map(([name, id]) => `${name}:x:${id}:\n`).join(''))
  await root.write('/etc/nsswitch.conf', 'passwd: files\ngroup: files\nhosts: files\nservices: files\n')
  await root.write('/etc/hosts', '127.0.0.1 localhost\n')
  for (const [device, minor] of [
    ['null', 3],
    ['zero', 5],
    ['random', 8],
    ['urandom', 9],
  ] as const) {
    await root.makeFolder('/dev')
    await run('mknod', ['-m', '666', join(root.folder, 'dev', device), 'c', '1', String(minor)])
  }
  for (const path of ['/tmp', '/run', '/var/run', '/proc', '/var/log']) await root.makeFolder(path)
  await root.makeFolder('/mail', { owner: MAIL_OWNER, mode: '711' })
}

async function makeCertificates(
  root: DebianRoot,
  inside: (...command: string[]) => Promise<{ stdout: string }>,
): Promise<string> {
  await root.write('/etc/tls/names', 'subjectAltName=IP:127.0.0.1\n')
  const ssl = (line: string) => inside('/usr/bin/openssl', ...line.split(' '))
  await ssl(
    'req -x509 -newkey rsa:2048 -nodes -keyout /etc/tls/ca.key -out /etc/tls/ca.pem -days 2 -subj /CN=Authority',
  )
  await ssl(
    'req -new -newkey rsa:2048 -nodes -keyout /etc/tls/server.key -out /etc/tls/server.csr -subj /CN=server',
  )
  await ssl(
    'x509 -req -in /etc/tls/server.csr -CA /etc/tls/ca.pem -CAkey /etc/tls/ca.key -CAcreateserial -out /etc/tls/server.pem -days 2 -extfile /etc/tls/names',
  )
  return (await inside('/usr/bin/openssl', 'x509', '-in', '/etc/tls/ca.pem')).stdout
}
