import { readUsername } from '@tradepost/contract/typed-name'
import { useParams } from '../../lib/router.tsx'

/**
 * The trader whom the address names, also as mails and pages write them, `/trader/@name`.
 * @param pathOf the address of the screen for a name
 * @returns `elsewhere` the address in its one spelling, null while one is there
 */
export function useTraderName(pathOf: (username: string) => string): {
  username: string
  elsewhere: string | null
} {
  const { username: given = '' } = useParams()
  const username = readUsername(given)
  return { username, elsewhere: username === given || username === '' ? null : pathOf(username) }
}
