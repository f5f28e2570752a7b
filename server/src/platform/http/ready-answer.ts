import { entityTag } from './entity-tag.ts'

/**
 * An answer whose JSON is written already, by the database or for an earlier reader. It is sent as it is, so a test
 * of each holds its bytes to the contract.
 */
export class ReadyAnswer {
  readonly #beginning: string
  readonly #end: string
  #tag: string | null = null

  /** @param beginning a long one is kept once, however many answers begin with it */
  constructor(beginning: string, end = '') {
    this.#beginning = beginning
    this.#end = end
  }

  get json(): string {
    return this.#beginning + this.#end
  }

  /** Computed once, however often the answer is sent. */
  get tag(): string {
    this.#tag ??= entityTag(this.json)
    return this.#tag
  }
}
