/** What a contender's process is given on its command line. */
export type Task = { port: number; mails: number; connections: number; databaseUrl: string }

/** Says that it is ready, waits for the word, does the whole work, and ends. */
export async function contend(work: (task: Task) => Promise<void>): Promise<void> {
  const task = JSON.parse(process.argv[2] ?? '{}') as Task
  const began = new Promise((resolve) => process.once('message', resolve))
  process.send?.('ready')
  await began
  await work(task)
  process.disconnect?.()
}
