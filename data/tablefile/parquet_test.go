package tablefile_test

import _ "github.com/ehgnn/ehgnn/data/parquet" // tests read Parquet
