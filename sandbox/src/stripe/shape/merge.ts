import { isPlainObject } from './plain-object.ts'

/** Lays fields over an object; where both sides are objects it goes inside, anything else is replaced. */
export function merge(base: Record<string, unknown>, over: Record<string, unknown>): Record<string, unknown> {
  const result = { ...base }
  for (const [name, value] of Object.entries(over)) {
    if (value === undefined) continue
    const under = result[name]
    result[name] = isPlainObject(under) && isPlainObject(value) ? merge(under, value) : value
  }
  return result
}
