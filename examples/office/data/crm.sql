-- The customers of Acme and their orders. Amounts are in euro cents.

CREATE TABLE customers (
  id            INTEGER PRIMARY KEY,
  name          TEXT NOT NULL UNIQUE,
  city          TEXT NOT NULL,
  contact       TEXT NOT NULL,
  contact_email TEXT NOT NULL,
  discount      INTEGER NOT NULL DEFAULT 0 CHECK (discount BETWEEN 0 AND 100),  -- percent
  yearly_value  INTEGER NOT NULL,
  note          TEXT NOT NULL DEFAULT ''
) STRICT;

CREATE TABLE orders (
  id          INTEGER PRIMARY KEY,
  customer_id INTEGER NOT NULL REFERENCES customers (id),
  product     TEXT NOT NULL,
  quantity    INTEGER NOT NULL CHECK (quantity > 0),
  unit_price  INTEGER NOT NULL,
  ordered_on  TEXT NOT NULL,
  status      TEXT NOT NULL CHECK (status IN ('open', 'shipped', 'delivered', 'cancelled'))
) STRICT;

CREATE INDEX orders_by_customer ON orders (customer_id);

INSERT INTO customers (id, name, city, contact, contact_email, discount, yearly_value, note) VALUES
  (1,  'Harbour Utilities',     'Westhaven',   'Lena Quay',     'lena.quay@harbour-utilities.example', 18, 21400000, 'Contract renewal by the end of October; late alarms are a sore point'),
  (2,  'Lowland Water Board',   'Oudedijk',    'Jan Polder',    'j.polder@lowland-water.example',      18, 16850000, 'Field trial of Brook 5 agreed'),
  (3,  'Ironbridge Ports',      'Ironbridge',  'Gwen Locke',    'gwen@ironbridge-ports.example',       10,  6100000, 'Second half of the fleet went to Northlock in September'),
  (4,  'Meridian Rail',         'Centerton',   'Otto Culver',   'otto.culver@meridian-rail.example',   10,  7420000, 'Wants 60 more sensors for culverts'),
  (5,  'Castlewood Council',    'Castlewood',  'Ruth Bourne',   'r.bourne@castlewood.example',          5,  2210000, 'Asks for the export of alarm histories'),
  (6,  'Pinecrest Farms',       'Pinecrest',   'Hal Ditch',     'hal@pinecrest-farms.example',          0,   640000, ''),
  (7,  'Sunfield Orchards',     'Sunfield',    'Mina Furrow',   'mina@sunfield-orchards.example',       0,   480000, 'Pays late'),
  (8,  'Grey Heron Reserve',    'Fenwick',     'Tess Reed',     'tess.reed@grey-heron.example',        10,   310000, 'Charity price'),
  (9,  'Bluefin Fisheries',     'Port Arden',  'Sal Netter',    'sal@bluefin.example',                 10,        0, 'Left for Northlock on price, September 2026'),
  (10, 'Quarry Lake Resort',    'Stonebeck',   'Ivo Strand',    'ivo@quarry-lake.example',              0,   150000, 'One sensor replaced as goodwill');

INSERT INTO orders (customer_id, product, quantity, unit_price, ordered_on, status) VALUES
  (1,  'Brook 4 Salt',  120, 38458, '2025-11-18', 'delivered'),
  (1,  'Gate',            2, 115000, '2025-11-18', 'delivered'),
  (1,  'Brook 4 Salt',   80, 38458, '2026-03-02', 'delivered'),
  (1,  'Brook 4 Salt',   60, 38458, '2026-08-24', 'delivered'),
  (1,  'Gate',            1, 115000, '2026-10-05', 'shipped'),
  (2,  'Brook 4',       200, 31898, '2025-12-09', 'delivered'),
  (2,  'Gate',            3, 115000, '2025-12-09', 'delivered'),
  (2,  'Brook 4',        90, 31898, '2026-05-20', 'delivered'),
  (2,  'Brook 4',        40, 31898, '2026-10-01', 'open'),
  (3,  'Brook 4 Salt',   75, 42210, '2026-01-15', 'delivered'),
  (3,  'Gate',            1, 115000, '2026-01-15', 'delivered'),
  (3,  'Brook 4 Salt',   75, 42210, '2026-07-06', 'cancelled'),
  (4,  'Brook 4',        80, 35010, '2026-02-11', 'delivered'),
  (4,  'Gate',            2, 115000, '2026-02-11', 'delivered'),
  (4,  'Brook 4',        55, 35010, '2026-06-17', 'open'),
  (5,  'Brook 4',        30, 36955, '2026-04-08', 'delivered'),
  (5,  'Gate',            1, 115000, '2026-04-08', 'delivered'),
  (5,  'Brook 4',        12, 36955, '2026-09-10', 'delivered'),
  (6,  'Brook 4',         8, 38900, '2026-03-30', 'delivered'),
  (6,  'Gate',            1, 115000, '2026-03-30', 'delivered'),
  (6,  'Brook 4',         4, 38900, '2026-10-12', 'open'),
  (7,  'Brook 4',         6, 38900, '2026-05-04', 'delivered'),
  (7,  'Gate',            1, 115000, '2026-05-04', 'delivered'),
  (8,  'Brook 4',         7, 35010, '2026-06-01', 'delivered'),
  (8,  'Brook 4',         2, 35010, '2026-09-28', 'shipped'),
  (9,  'Brook 4 Salt',   40, 42210, '2025-12-19', 'delivered'),
  (9,  'Gate',            1, 115000, '2025-12-19', 'delivered'),
  (9,  'Brook 4 Salt',   40, 42210, '2026-08-31', 'cancelled'),
  (10, 'Brook 4',         3, 38900, '2026-07-21', 'delivered'),
  (10, 'Brook 4',         1, 38900, '2026-10-14', 'shipped');
