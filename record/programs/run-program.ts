import { NoAnswer } from './http-source.ts'

/** Words on the command line that a program refuses. */
export class Usage extends Error {}

/** Runs a program: its code is 0 where all is well, 1 where the record is at fault, and 2 where nothing could be checked. */
export function runProgram(usage: string, run: (words: string[]) => Promise<number>): void {
  run(process.argv.slice(2)).then(
    (code) => {
      process.exitCode = code
    },
    (error: unknown) => {
      if (error instanceof Usage) console.error(`${error.message}\n\n${usage}`)
      else console.error(error instanceof NoAnswer ? error.message : error)
      process.exitCode = 2
    },
  )
}
