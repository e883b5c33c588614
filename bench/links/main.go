// Command links writes a table of edges for measurements of link prediction: communities of nodes, within
// which most edges are, and degrees by a power law. The same arguments give the same table. With -measure it
// says what the steps of link prediction on such a table take.
//
//	go run ./bench/links -nodes 1000000 -edges 10000000 > edges.csv
//	go run ./bench/links -nodes 1000000 -edges 10000000 -bipartite > ratings.csv
//	go run ./bench/links -measure edges.csv
//	go run ./bench/links -measure ratings.csv -bipartite
package main

import (
	"bufio"
	"flag"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"os"
)

// Nodes of a community, and the share of edges within communities.
const (
	communitySize = 200
	inside        = 0.8
)

func main() {
	nodes := flag.Int("nodes", 1_000_000, "nodes")
	edges := flag.Int("edges", 10_000_000, "rows of the table")
	bipartite := flag.Bool("bipartite", false, "half of the nodes are sources, the others targets")
	seed := flag.Uint64("seed", 1, "seed")
	table := flag.String("measure", "", "table whose steps are measured; nothing is written then")
	flag.Parse()
	if *table != "" {
		if err := measure(*table, *bipartite); err != nil {
			log.Fatal(err)
		}
		return
	}
	if *nodes < 2*communitySize || *edges < 1 {
		log.Fatalf("-nodes is %d and -edges %d, expected at least %d and 1", *nodes, *edges, 2*communitySize)
	}
	w := bufio.NewWriterSize(os.Stdout, 1<<20)
	fmt.Fprintln(w, "source,target")
	r := rand.New(rand.NewPCG(*seed, 0))
	names := [2]string{"n", "n"}
	if *bipartite {
		*nodes /= 2
		names = [2]string{"u", "i"}
	}
	// skewed is a number below n; small ones are more often.
	skewed := func(n int) int { return int(float64(n) * math.Pow(r.Float64(), 2)) }
	for range *edges {
		u := r.IntN(*nodes)
		v := skewed(*nodes)
		if r.Float64() < inside {
			first := u / communitySize * communitySize
			v = first + skewed(min(communitySize, *nodes-first))
		}
		fmt.Fprintf(w, "%s%d,%s%d\n", names[0], u, names[1], v)
	}
	if err := w.Flush(); err != nil {
		log.Fatal(err)
	}
}
