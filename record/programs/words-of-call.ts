import { Usage } from './run-program.ts'

/** The options of a call and the words beside them. */
export type Call = { options: Map<string, string>; flags: Set<string>; words: string[] }

/** @param known names of options with a value, and of flags without one @throws Usage for another one */
export function readCall(args: readonly string[], known: { options: string[]; flags?: string[] }): Call {
  const call: Call = { options: new Map(), flags: new Set(), words: [] }
  const rest = [...args]
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    const name = word.startsWith('--') ? word.slice(2) : null
    if (name === null) call.words.push(word)
    else if (known.flags?.includes(name)) call.flags.add(name)
    else if (known.options.includes(name)) {
      const value = rest.shift()
      if (value === undefined) throw new Usage(`--${name} needs a value.`)
      call.options.set(name, value)
    } else throw new Usage(`--${name} is not known.`)
  }
  return call
}

/** @throws Usage where the option is missing */
export function needed({ options }: Call, name: string): string {
  const value = options.get(name)
  if (value === undefined) throw new Usage(`--${name} is missing.`)
  return value
}
