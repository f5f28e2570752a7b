export type Recipient = {
  mailNo: number
  userId: string
  address: string
  unsubscribeToken: string
  /** Whether their server refused a mail since it last took one. */
  refusedBefore: boolean
}

/** A recipient, and the envelope sender of the mail to them. */
export type Addressed = Recipient & { from: string }

/** A UUID in words. */
const ID_LENGTH = 36
const LINE_END = '\n'
const BETWEEN = '\t'

/**
 * Recipients of a range in mailing order, as the one text that the database answers with. Each is read when it is their turn: a range
 * waits for seconds, and as objects its recipients would outlive the quick collections of garbage and fill the memory of the process.
 */
export class RecipientPage {
  readonly count: number
  /** The envelope sender of the mail to the one at this place. */
  senders: (place: number) => string = () => ''
  private readonly text: string
  private place = 0
  private at = 0
  private ahead: Addressed | null = null

  /** @param text a line each: id, 1 for `refusedBefore` or else 0, number, token, address */
  constructor(text: string) {
    this.text = text
    this.count = countLines(text)
  }

  /** The next one, whom `next` answers after this too. */
  peek(): Addressed | null {
    if (this.ahead || this.place === this.count) return this.ahead
    const { at, text } = this
    const end = text.indexOf(LINE_END, at)
    const line = end < 0 ? text.slice(at) : text.slice(at, end)
    this.at = end + 1
    this.ahead = readLine(line, this.senders(this.place))
    return this.ahead
  }

  /** @returns null after the last one */
  next(): Addressed | null {
    const next = this.peek()
    if (next) this.place += 1
    this.ahead = null
    return next
  }

  /** The ids of all recipients of the page, including those that `next` has returned. */
  userIds(): string[] {
    const ids: string[] = []
    for (let [place, at] = [0, 0]; place < this.count; place += 1) {
      ids.push(this.text.slice(at, at + ID_LENGTH))
      at = this.text.indexOf(LINE_END, at) + 1
    }
    return ids
  }
}

function countLines(text: string): number {
  if (text === '') return 0
  let count = 1
  for (let at = text.indexOf(LINE_END); at >= 0; at = text.indexOf(LINE_END, at + 1)) count += 1
  return count
}

function readLine(line: string, from: string): Addressed {
  const token = line.indexOf(BETWEEN) + 1
  const address = line.indexOf(BETWEEN, token) + 1
  return {
    mailNo: Number(line.slice(ID_LENGTH + 1, token - 1)),
    userId: line.slice(0, ID_LENGTH),
    address: line.slice(address),
    unsubscribeToken: line.slice(token, address - 1),
    refusedBefore: line[ID_LENGTH] === '1',
    from,
  }
}
