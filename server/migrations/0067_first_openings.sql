-- When a trader opened the first position that counts (struck ones do not): shown beside every Subscribe button.
alter table trader_stats add column first_opened_at timestamptz;

update trader_stats set first_opened_at = opened.first_at
from (select trader_id, min(opened_at) as first_at from positions where struck_at is null group by trader_id) opened
where opened.trader_id = trader_stats.trader_id;
