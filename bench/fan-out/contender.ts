/** The command line of a contender's process. */
export type Task = { port: number; mails: number; connections: number; databaseUrl: string }

/** Sends `ready`, does the whole work at each message and sends `done` after it, until it is ended. */
export function contend(work: (task: Task) => Promise<void>): void {
  const task = JSON.parse(process.argv[2] ?? '{}') as Task
  process.on('message', async () => {
    await work(task)
    process.send?.('done')
  })
  process.send?.('ready')
}
