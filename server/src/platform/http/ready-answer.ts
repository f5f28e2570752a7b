import { RELEASE } from '../release.ts'
import { entityTag } from './entity-tag.ts'

/**
 * An answer whose JSON is written already, by the database or for an earlier reader, as a whole or in parts. It is sent as it is, so a
 * test of each holds its bytes to the contract. A 304 needs its tag alone.
 */
export class ReadyAnswer {
  #write: () => string
  #tag: string | null = null

  /** @param beginning a long one is kept once, however many answers begin with it */
  constructor(beginning: string, end = '') {
    this.#write = () => beginning + end
  }

  /**
   * @param digests of the bytes of all that it is put together of, in order; the tag is made of them. Of nothing that the answer does not show:
   *   a tag that changed alone would reveal that something has happened (ADR 0101)
   * @param write puts it together, where somebody does not have it
   */
  static ofParts(digests: readonly string[], write: () => string): ReadyAnswer {
    const answer = new ReadyAnswer('')
    answer.#write = write
    // Another release may put the same parts together in another way.
    answer.#tag = entityTag([RELEASE, ...digests].join(' '))
    return answer
  }

  get json(): string {
    return this.#write()
  }

  /** Computed once, however often the answer is sent. */
  get tag(): string {
    this.#tag ??= entityTag(this.json)
    return this.#tag
  }
}
