package tensor

// Repeat is Gather for few rows of x in many places. The result remembers them:
// MatMul, MatMulT and Affine of it multiply the rows of x and repeat the products,
// to the same bits, and their gradients are added up over the places before they are
// multiplied. Embeddings of categories are the use, since most atoms and bonds of a
// batch of molecules are like another.
func Repeat(x *Tensor, ix *Index) *Tensor {
	x.checkIndex("Repeat", ix.n, "slots of the index")
	out := Gather(x, ix)
	out.of, out.by = x, ix
	return out
}

// Repeated is what Repeat made x of; nil for any other tensor.
func (x *Tensor) Repeated() (rows *Tensor, ix *Index) { return x.of, x.by }
