import { type CallOutcome, timeCall } from '../../platform/metrics.ts'
import { OddAnswer, ProviderFault } from '../provider/provider.ts'

const ANSWER_MAX_BYTES = 64 * 1024

/**
 * GET of a text, with the faults that all providers have in common: no connection, no answer in time, 401, 429 and 5xx are faults of the
 * provider.
 * @param maxBytes a longer answer is odd
 * @returns the text; the status of an answer without success that is no fault of the provider
 * @throws `ProviderFault`, `OddAnswer`
 */
export async function getText(
  url: string,
  headers: Record<string, string>,
  { maxBytes = ANSWER_MAX_BYTES, signal }: { signal: AbortSignal; maxBytes?: number },
): Promise<string | { status: number }> {
  // A redirect that is followed would carry the key to another host.
  const ask = () => fetch(url, { headers, redirect: 'manual', signal })
  let response: Response
  try {
    response = await timeCall('market', ask, (answer) => judge(answer, signal))
  } catch {
    throw signal.aborted ? tooLate() : new ProviderFault('no connection', { passing: true, everybodys: true })
  }
  if (response.ok) return readText(response, { maxBytes, signal })
  await response.body?.cancel()
  const { status } = response
  if (status >= 500) throw new ProviderFault(`status ${status}`, { passing: true, everybodys: false })
  if (status === 401 || status === 429)
    throw new ProviderFault(`status ${status}`, { passing: false, everybodys: true })
  return { status }
}

function judge(answer: Response | null, signal: AbortSignal): CallOutcome {
  if (!answer) return signal.aborted ? 'timeout' : 'failed'
  if (answer.ok) return 'ok'
  return answer.status >= 500 ? 'failed' : 'refused'
}

function tooLate(): ProviderFault {
  return new ProviderFault('no answer in time', { passing: true, everybodys: false })
}

async function readText(
  response: Response,
  { maxBytes, signal }: { maxBytes: number; signal: AbortSignal },
): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  try {
    for await (const chunk of response.body ?? []) {
      size += chunk.length
      if (size > maxBytes) break
      text += decoder.decode(chunk, { stream: true })
    }
  } catch {
    throw signal.aborted
      ? tooLate()
      : new ProviderFault('the answer broke off', { passing: true, everybodys: false })
  }
  if (size > maxBytes) throw new OddAnswer('the answer is too long')
  return text
}
