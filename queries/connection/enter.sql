-- enter: let names mean tables of the attached store
-- grain:   nothing
-- params:  none
-- returns: nothing
-- reads:   nothing
-- note:    after `attach`
use fleet
