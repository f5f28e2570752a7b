import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { messageOf } from './api-refusal.ts'
import { makeStale } from './query-client.ts'

type Switch<Answer> = {
  /** Of this switch alone: several changes of it are sent one after the other. */
  name: string
  /** The loaded answer in which it stands. */
  queryKey: QueryKey
  /** Sends a change. @returns how it stands then */
  turn: (isOn: boolean) => Promise<boolean>
  /** The answer with the switch turned. */
  turned: (answer: Answer, isOn: boolean) => Answer
  onTurned?: () => void
  /** It could not be done. @param message the sentence to show */
  onFailure: (message: string) => void
}

/**
 * Turns a switch of a loaded answer: at once on the screen, and back when it could not be done. Of several changes in a row the last
 * one determines what is shown. The answer stays as old as it was, and one that was to be renewed is asked for again afterwards.
 */
export function useSwitch<Answer>({ name, onFailure, onTurned, queryKey, turn, turned }: Switch<Answer>) {
  const client = useQueryClient()
  const mutationKey = ['switch', name]
  const isDue = useRef(false)
  const isLast = () => client.isMutating({ mutationKey }) === 1
  function show(isOn: boolean): void {
    const state = client.getQueryState(queryKey)
    isDue.current ||= state?.isInvalidated === true || state?.fetchStatus === 'fetching'
    client.setQueryData<Answer>(queryKey, (answer) => answer && turned(answer, isOn), {
      updatedAt: state?.dataUpdatedAt ?? 0,
    })
  }
  function renew(): void {
    isDue.current = false
    void makeStale(client, queryKey)
  }
  return useMutation({
    mutationKey,
    scope: { id: mutationKey.join(' ') },
    mutationFn: turn,
    onMutate: async (isOn: boolean) => {
      isDue.current ||= client.getQueryState(queryKey)?.fetchStatus === 'fetching'
      await client.cancelQueries({ queryKey })
      show(isOn)
    },
    onSuccess: (isOn) => {
      if (isLast()) show(isOn)
      if (isLast() && isDue.current) renew()
      onTurned?.()
    },
    onError: (error, isOn) => {
      onFailure(messageOf(error))
      if (!isLast()) return
      show(!isOn)
      // Whether it was done before the answer got lost, only the server knows.
      renew()
    },
  })
}
