# docker build -t attention-course .
# mkdir -p work && docker run --rm -p 127.0.0.1:8888:8888 -v "$PWD/work:/home/student/work" attention-course
# A student's JupyterLab; what you write is in work/. On Linux, if `id -u` is not 1000, add --user "$(id -u)" after --rm.
# Nothing is fetched when it runs. PyTorch is the one that pip finds, with CUDA on Linux. For the smaller one without:
# docker build --build-arg PIP_EXTRA_INDEX_URL=https://download.pytorch.org/whl/cpu -t attention-course .
FROM python:3.11-slim
ARG PIP_EXTRA_INDEX_URL=
COPY . /course
RUN pip install --no-cache-dir --constraint /course/constraints.txt "/course[lab]" && rm -rf /course
# A mounted folder belongs to somebody outside, whose number this user may take with --user.
RUN useradd --create-home --uid 1000 student && chmod a+rwx /home/student
USER student
ENV HOME=/home/student USER=student
WORKDIR /home/student
EXPOSE 8888
# The token that JupyterLab prints keeps others out.
CMD ["sh", "-c", "autograder lab --folder work --no-start && exec jupyter lab --ip=0.0.0.0 --no-browser --notebook-dir=work"]
