/** What a contender's process is given on its command line. */
export type Task = { port: number; mails: number; connections: number; databaseUrl: string }

/** Says that it is ready, does the whole work at each word and says when it is done, until it is let go. */
export function contend(work: (task: Task) => Promise<void>): void {
  const task = JSON.parse(process.argv[2] ?? '{}') as Task
  process.on('message', async () => {
    await work(task)
    process.send?.('done')
  })
  process.send?.('ready')
}
