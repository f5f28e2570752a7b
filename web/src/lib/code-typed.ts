import { readCode } from '@tradepost/contract/typed-code'
import type { ChangeEvent } from 'react'

/**
 * The text to show in a field for codes after typing or pasting: the code as it was read, or the text unchanged where it holds no code
 * (yet). A composition is left alone.
 * @param read finds the code, such as `readCode`
 */
export function codeTyped(
  { currentTarget, nativeEvent }: ChangeEvent<HTMLInputElement>,
  read: (text: string) => string | null = readCode,
): string {
  const { value } = currentTarget
  return (nativeEvent as InputEvent).isComposing ? value : (read(value) ?? value)
}
