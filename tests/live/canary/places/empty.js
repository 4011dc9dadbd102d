// An empty module: a place to hang an export on.
'use strict';
