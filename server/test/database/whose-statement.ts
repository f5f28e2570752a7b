/** Await by await up to the query function, through the query builder and our own layers. */
const FRAMES = 60
/** Files that pass on the statements of others. */
const PASSES_ON = /platform\/database\/(?:database|connections|pipelined-connection|queryable)\.ts$/

/** @returns the file below server/src that sends a statement now; null when it is a test's, a development command's, or a library's */
export function whoseStatement(): string | null {
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = FRAMES
  const { stack = '' } = new Error('whose statement is this?')
  Error.stackTraceLimit = limit
  for (const frame of stack.split('\n')) {
    const file = /\/(?:server|bench|e2e|scripts)\/(?:src|test)?\/?[\w./-]+\.ts/.exec(frame)?.[0]
    if (
      !file ||
      frame.includes('node_modules') ||
      /\/(?:note-statements|whose-statement|statement-rules)\.ts$/.test(file)
    )
      continue
    const own = /^\/server\/src\/(.+)$/.exec(file)?.[1]
    if (own && PASSES_ON.test(own)) continue
    return own && !own.endsWith('.test.ts') && !own.startsWith('dev/') ? own : null
  }
  return null
}
