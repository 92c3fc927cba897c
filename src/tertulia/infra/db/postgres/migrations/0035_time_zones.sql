-- Where a person is, by the name that IANA gives the time zone: models are told what day it is there.
ALTER TABLE users ADD COLUMN time_zone TEXT;
