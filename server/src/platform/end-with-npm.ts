const PARENT_POLL_MS = 2000

/** npm passes on SIGINT and SIGTERM only. When its terminal is closed or it is killed, we notice by our parent's id. */
export function endWithNpm(end: () => void): void {
  if (!process.env.npm_lifecycle_event) return
  const npm = process.ppid
  setInterval(() => {
    if (process.ppid !== npm) end()
  }, PARENT_POLL_MS).unref()
}
