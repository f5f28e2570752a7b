/** A row of a profile's positions: on a phone two lines on the left, ticker and company over the rest, and the gain on the right. */
export const LINES =
  'lined:grid lined:h-16 lined:grid-cols-[auto_minmax(0,1fr)_auto] lined:grid-rows-[1.5rem_1.25rem] lined:content-center'
export const CELL = 'py-2 lined:p-0'
export const SECOND_LINE =
  'lined:row-start-2 lined:text-[0.8125rem] lined:leading-5 lined:whitespace-nowrap lined:text-muted-foreground'
