package tablefile_test

import _ "github.com/ehgnn/ehgnn/data/parquet" // so that tests can read Parquet
