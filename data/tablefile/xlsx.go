package tablefile

func openXlsx(f *file) (Reader, error) { return nil, f.failed("xlsx is not read yet", nil) }

func (f *file) isWorkbook() bool { return false }
