import { settings } from '../../lib/settings.ts'

/** On a wide screen the column of gain and price of now, which are longer where prices are late, and the room right of the heading. */
const NOW =
  settings.priceRights === 'delayed'
    ? { column: 'xl:grid-cols-[1fr_8.25rem]', beside: 'xl:pr-36' }
    : { column: 'xl:grid-cols-[1fr_7.5rem]', beside: 'xl:pr-33' }

/**
 * Each row lays itself out, by widths that do not depend on what stands in the others: so one out of sight need not be
 * drawn. On a phone there are two lines: on the left the ticker above trader, day and hold, on the right the gain above the prices.
 * Gain and price of now are given their room before they are there.
 */
export const COLUMNS =
  'md:grid md:grid-cols-[4.75rem_minmax(4.5rem,1fr)_6.25rem_7.75rem_minmax(5.75rem,9.25rem)] md:items-center lg:grid-cols-[16%_24%_16%_24%_20%] xl:grid-cols-[16%_20%_24%_22%_18%]'
export const LINES =
  'lined:relative lined:grid lined:h-16 lined:grid-cols-[auto_auto_auto_minmax(0,1fr)_minmax(8rem,auto)] lined:max-[22.4rem]:grid-cols-[auto_auto_auto_minmax(0,1fr)_auto] lined:max-[24rem]:data-long:grid-cols-[auto_auto_auto_minmax(0,1fr)_auto] lined:grid-rows-[1.375rem_1.125rem] lined:content-center'
export const LEFT_1 = 'lined:row-start-1'
export const LEFT_2 = 'lined:row-start-2'
export const RIGHT = 'lined:col-start-5 lined:row-span-2 lined:row-start-1 lined:pl-1'
/**
 * The open price is the first of its cell to be read. On a wide screen it ends below its heading, and gain and price of now have a column
 * of their own right of it. Narrower it stands alone in its line below the gain; on a phone the price of now follows it.
 */
export const PRICES = `grid grid-cols-1 grid-rows-[1.25rem_1rem_1rem] content-center items-center text-[0.8125rem] leading-4 whitespace-nowrap md:max-xl:py-0 ${NOW.column} xl:grid-rows-[1.25rem_1.125rem] xl:leading-4.5 lined:grid-rows-[1.375rem_1.125rem] lined:leading-4.5 lined:max-[22.4rem]:grid-cols-1`
/**
 * On a phone the price of now has its width before it is there: that of the open price, which it resembles. Where two long ones leave no room
 * for the words beside the ticker, the open price stands alone.
 */
export const AFTER_SHORT_PRICE = 'lined:grid-cols-[1fr_minmax(4.5rem,auto)]'
export const AFTER_LONG_PRICE = 'lined:grid-cols-[1fr_minmax(5.5rem,auto)] lined:max-[24rem]:grid-cols-1'
export const SHORT_PRICE_LENGTH = '$999.99'.length
export const OPEN_PRICE = 'justify-self-end xl:row-span-2 xl:row-start-1 xl:text-[0.9375rem]'
/** The heading ends where the open prices do. */
export const OPEN_PRICE_HEAD = `text-right ${NOW.beside}`
export const CELL = 'py-2 lined:p-0'
export const SMALL = 'lined:text-[0.8125rem] lined:text-muted-foreground'
/** A part of a line that follows another one on a phone. */
export const AFTER_DOT = 'lined:leading-4.5 lined:before:mx-1 lined:before:content-["·"]'
