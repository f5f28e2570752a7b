/**
 * An answer whose JSON is written already, by the database or for an earlier reader. It is sent as it is, so a test
 * of each holds its bytes to the contract.
 */
export class ReadyAnswer {
  readonly json: string

  constructor(json: string) {
    this.json = json
  }
}
