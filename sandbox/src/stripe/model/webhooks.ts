import { anything, arrayOf, fields, flag, type Of, oneOf, recordOf, text } from '../shape/shape.ts'
import { stored } from './stored.ts'

const status = oneOf('enabled', 'disabled')

export const endpoint = stored('webhook_endpoint', {
  url: text,
  enabled_events: arrayOf(text),
  status,
  metadata: recordOf(text),
})
export type Endpoint = Of<typeof endpoint>

/** The sandbox's own notes on an endpoint: its signing secret, and whether it is for the events of accounts. */
export const endpointNotes = fields({ secret: text, connect: flag })

export const destination = stored('v2.core.event_destination', {
  webhook_endpoint: fields({ url: text }),
  enabled_events: arrayOf(text),
  event_payload: oneOf('snapshot', 'thin'),
  events_from: arrayOf(text),
  status,
  metadata: recordOf(text),
})
export type Destination = Of<typeof destination>

/** The sandbox's own note on an event destination: its signing secret. */
export const destinationNotes = fields({ secret: text })

export const event = stored('event', { type: text, data: anything })

export const thinEvent = stored('v2.core.event', { type: text })
