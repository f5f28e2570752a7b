/**
 * The sandbox as a separate process. One line of JSON on stdout reports that it is ready and where; it ends when the
 * pipe on its stdin closes, so that it cannot outlive its parent, and on SIGTERM and Ctrl-C.
 */
import { readEnvironment } from './environment.ts'
import { startSandbox } from './sandbox.ts'

async function main(): Promise<void> {
  const { close, imapPort, smtpPort, url } = await startSandbox(readEnvironment(process.env))
  let ending = false
  const end = async () => {
    if (ending) return
    ending = true
    await close()
    process.exit(0)
  }
  process.on('SIGTERM', end)
  process.on('SIGINT', end)
  process.stdin.on('end', end).on('error', end).resume()
  console.log(JSON.stringify({ ready: true, url, smtpPort, imapPort }))
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
})
