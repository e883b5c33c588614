// Command sparse generates the products of a sparse with a dense matrix.
package main

import "kernelgen/isa"

import . "github.com/mmcloughlin/avo/build"

func main() {
	ConstraintExpr("!noasm")
	for _, s := range isa.Sets {
		for nv := 1; nv <= 8; nv++ {
			spmm(s, nv)
		}
		sddmm(s)
	}
	Generate()
}
