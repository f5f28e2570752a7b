/**
 * Each row lays itself out, by widths that do not depend on what stands in the others: so one out of sight need not be
 * drawn. On a phone ticker, trader and hold make two lines on the left, and the price, what it is now and the opening three on
 * the right. The price of now is given its room before it is there.
 */
export const COLUMNS =
  'md:grid md:grid-cols-[4.75rem_minmax(4.5rem,1fr)_6.25rem_7.75rem_minmax(5.75rem,9.25rem)] md:items-center lg:grid-cols-[16%_24%_16%_24%_20%] xl:grid-cols-[16%_20%_24%_22%_18%]'
export const LINES =
  'lined:relative lined:grid lined:h-16 lined:grid-cols-[auto_auto_minmax(0,1fr)_minmax(9.75rem,auto)] lined:max-[24.3rem]:grid-cols-[auto_auto_minmax(0,1fr)_auto] lined:grid-rows-[0.3125rem_0.875rem_0.625rem_0.5rem_0.75rem_0.375rem] lined:content-center'
export const LEFT_1 = 'lined:row-start-2 lined:row-end-4'
export const LEFT_2 = 'lined:row-start-4 lined:row-end-6'
export const RIGHT_1_2 = 'lined:col-start-4 lined:row-start-1 lined:row-end-5 lined:pl-2'
export const RIGHT_3 = 'lined:col-start-4 lined:row-start-5 lined:row-end-7 lined:text-right'
export const CELL = 'py-2 lined:p-0'
export const SMALL = 'lined:text-[0.8125rem] lined:text-muted-foreground'
