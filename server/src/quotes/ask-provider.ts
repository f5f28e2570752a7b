import { setTimeout as pause } from 'node:timers/promises'
import { type CallOutcome, timeCall } from '../platform/metrics.ts'

const BACK_OFF_MS = 150
const ANSWER_MAX_BYTES = 64 * 1024

/** A failure that asking again at once may cure. Messages are written here and quote nothing that was received. */
class PassingFailure extends Error {}

/** A status of the answer that is neither success nor a fault of the provider. */
export class StatusRefused extends Error {
  readonly status: number

  constructor(status: number) {
    super(`status ${status}`)
    this.status = status
  }
}

export type Provider = { base: string; key: string; clock: { now(): Date } }

/**
 * Asks, and once more after a short pause where that may help.
 * @param path behind `/api/v1/`
 * @param deadlineMs for both tries together
 * @returns text of the answer
 * @throws when there is none in time; `StatusRefused` for a status that asking again does not change
 */
export async function askTwice(provider: Provider, path: string, deadlineMs: number): Promise<string> {
  const deadline = AbortSignal.timeout(deadlineMs)
  const ask = () => askOnce(provider, path, deadline)
  return ask().catch(async (error: unknown) => {
    if (!(error instanceof PassingFailure) || deadline.aborted) throw error
    await pause(BACK_OFF_MS * (1 + Math.random()))
    return ask()
  })
}

/** As `askTwice`, with one try, until the signal. */
export async function askOnce(provider: Provider, path: string, signal: AbortSignal): Promise<string> {
  const url = `${provider.base.replace(/\/+$/, '')}/api/v1/${path}`
  const ask = () =>
    fetch(url, {
      headers: { 'x-finnhub-token': provider.key, accept: 'application/json' },
      // A redirect would carry the key to another host.
      redirect: 'error',
      signal,
    })
  let response: Response
  try {
    response = await timeCall('market', ask, (answer) => judge(answer, signal))
  } catch {
    throw new PassingFailure(signal.aborted ? 'no answer in time' : 'no connection')
  }
  if (response.status >= 500) {
    await response.body?.cancel()
    throw new PassingFailure(`status ${response.status}`)
  }
  if (!response.ok) {
    await response.body?.cancel()
    throw new StatusRefused(response.status)
  }
  return readText(response, signal)
}

function judge(answer: Response | null, signal: AbortSignal): CallOutcome {
  if (!answer) return signal.aborted ? 'timeout' : 'failed'
  if (answer.ok) return 'ok'
  return answer.status >= 500 ? 'failed' : 'refused'
}

async function readText(response: Response, signal: AbortSignal): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  try {
    for await (const chunk of response.body ?? []) {
      size += chunk.length
      if (size > ANSWER_MAX_BYTES) break
      text += decoder.decode(chunk, { stream: true })
    }
  } catch {
    throw new PassingFailure(signal.aborted ? 'no answer in time' : 'the answer broke off')
  }
  if (size > ANSWER_MAX_BYTES) throw new Error('the answer is too long')
  return text
}
