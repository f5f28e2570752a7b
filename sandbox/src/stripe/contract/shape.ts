/**
 * The differences between the shapes of two answers: fields that only one has, and values of another kind. Null agrees with
 * anything, since a single object cannot show more.
 * @returns one line for each difference, empty when they agree
 */
export function shapeDifferences(left: unknown, right: unknown, path = ''): string[] {
  if (left === null || right === null) return []
  const kinds = [kindOf(left), kindOf(right)]
  if (kinds[0] !== kinds[1]) return [`${path || '(top)'}: ${kinds.join(' against ')}`]
  if (Array.isArray(left) && Array.isArray(right)) {
    if (left.length === 0 || right.length === 0) return []
    return shapeDifferences(left[0], right[0], `${path}[]`)
  }
  if (kinds[0] !== 'object') return []
  // Metadata is the caller's own; its keys are no part of the shape.
  if (path.endsWith('metadata')) return []
  return fieldDifferences(left as Record<string, unknown>, right as Record<string, unknown>, path)
}

function fieldDifferences(
  left: Record<string, unknown>,
  right: Record<string, unknown>,
  path: string,
): string[] {
  const names = [...new Set([...Object.keys(left), ...Object.keys(right)])].sort()
  return names.flatMap((name) => {
    const at = path === '' ? name : `${path}.${name}`
    if (!(name in left)) return [`${at}: only on the right`]
    if (!(name in right)) return [`${at}: only on the left`]
    return shapeDifferences(left[name], right[name], at)
  })
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? 'array' : typeof value
}
