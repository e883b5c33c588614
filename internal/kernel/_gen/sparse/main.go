// Command sparse generates the products of a sparse with a dense matrix.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"kernelgen/isa"
)

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

// entries sets k and end to the first entry of a row and that after its last: from ptr, which
// moves on, or where it is nil width entries from k on.
func entries(ptr, k, end reg.GPVirtual) {
	TESTQ(ptr, ptr)
	JZ(LabelRef("regular"))
	MOVLQSX(Mem{Base: ptr}, k)
	MOVLQSX(Mem{Base: ptr, Disp: 4}, end)
	ADDQ(Imm(4), ptr)
	JMP(LabelRef("begin"))
	Label("regular")
	Load(Param("width"), end)
	ADDQ(k, end)
}
