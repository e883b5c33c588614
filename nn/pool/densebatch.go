package pool

import (
	"slices"

	"github.com/ehgnn/ehgnn/tensor"
)

// DenseBatch lays the rows of each sample out side by side, for models that are
// dense by definition: x [n,d] gives [samples,size,d] with fill behind the rows of a
// sample, and a mask [samples,size] that is 1 where there is a row. Size 0 is that
// of the largest sample; rows beyond the size are left out. Attention here needs no
// such padding, see ADR 4. The name and the conventions are those of PyTorch
// Geometric's to_dense_batch.
func DenseBatch(x *tensor.Tensor, of *tensor.Index, size int, fill float32) (dense, mask *tensor.Tensor) {
	ptr, perm := of.Segments()
	if size == 0 && of.Slots() > 0 {
		size = int(slices.Max(of.Counts()))
	}
	n, d, samples := x.Dim(0), x.Dim(1), of.Slots()
	mask = tensor.New(samples, size)
	ids := make([]int32, samples*size)
	for i := range ids {
		ids[i] = int32(n) // a row of fill, put behind the others
		if k := ptr[i/size] + int32(i%size); k < ptr[i/size+1] {
			ids[i], mask.Data()[i] = k, 1
			if perm != nil {
				ids[i] = perm[k]
			}
		}
	}
	rows := tensor.Concat(0, x, tensor.Full(fill, 1, d))
	return tensor.Gather(rows, tensor.MustIndex(ids, n+1)).Reshape(samples, size, d), mask
}
