import { readCode } from '@tradepost/contract/typed-code'
import type { ChangeEvent } from 'react'

/**
 * What a field for codes shows of what was typed or pasted into it: the code as it was understood, and what is none (yet) as it is. A
 * composition is left alone.
 * @param read finds the code, such as `readCode`
 */
export function codeTyped(
  { currentTarget, nativeEvent }: ChangeEvent<HTMLInputElement>,
  read: (text: string) => string | null = readCode,
): string {
  const { value } = currentTarget
  return (nativeEvent as InputEvent).isComposing ? value : (read(value) ?? value)
}
