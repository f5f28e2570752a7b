import { USERNAME_MAX_LENGTH, USERNAME_MIN_LENGTH } from '@tradepost/contract/limits'

const LETTERS = [...'abcdefghijklmnopqrstuvwxyz0123456789_-']

/**
 * Every name that is one slip of the finger away: a letter too many, too few, another one, or two that changed places. Some
 * hundred names, at most 1,200, each of which the database finds at once (decision 0038).
 * @param name in lower case, of letters of a username
 * @returns without the name
 */
export function namesNear(name: string): string[] {
  const near = new Set<string>()
  for (let at = 0; at <= name.length; at += 1) {
    const [before, after] = [name.slice(0, at), name.slice(at)]
    for (const letter of LETTERS) {
      near.add(before + letter + after)
      if (after !== '') near.add(before + letter + after.slice(1))
    }
    if (after === '') continue
    near.add(before + after.slice(1))
    if (after.length > 1) near.add(before + after.charAt(1) + after.charAt(0) + after.slice(2))
  }
  near.delete(name)
  return [...near].filter(({ length }) => length >= USERNAME_MIN_LENGTH && length <= USERNAME_MAX_LENGTH)
}
