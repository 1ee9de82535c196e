-- Who used a definition that is gone is worked out when it is asked, from the text before the change:
-- an index that was made after the change knows it as well.
DROP TABLE graph_lost_uses;
