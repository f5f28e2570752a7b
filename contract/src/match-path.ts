export type PathParameters = Readonly<Record<string, string>>

/**
 * Compares a path with a pattern such as `/trader/:username/subscribe`. A slash at the end is ignored.
 * @returns the decoded segments by name, or null when the path is another or cannot be decoded
 */
export function matchPath(pattern: string, path: string): PathParameters | null {
  const wanted = segmentsOf(pattern)
  const given = segmentsOf(path)
  if (wanted.length !== given.length) return null
  const parameters: Record<string, string> = {}
  for (const [index, name] of wanted.entries()) {
    const segment = given[index] ?? ''
    if (name.startsWith(':')) {
      const value = decode(segment)
      if (value === null || value === '') return null
      parameters[name.slice(1)] = value
    } else if (name !== segment) return null
  }
  return parameters
}

function segmentsOf(path: string): string[] {
  return path.replace(/\/+$/, '').split('/')
}

function decode(segment: string): string | null {
  try {
    return decodeURIComponent(segment)
  } catch {
    return null
  }
}
